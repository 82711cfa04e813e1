// Frames around what scrolls to the side: a shadow at each edge behind which there is more.

function addFrame(box) {
  const frame = make("div", { class: "frame" });
  box.replaceWith(frame);
  frame.append(box);
  const show = () => {
    frame.classList.toggle("more-left", box.scrollLeft > 1);
    frame.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  };
  box.addEventListener("scroll", show, { passive: true });
  const sizes = new ResizeObserver(show);
  sizes.observe(box);
  sizes.observe(box.firstElementChild);
}
