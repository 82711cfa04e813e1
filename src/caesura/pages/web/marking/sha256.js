// SHA-256 of ASCII text, and JSON that is the same in every language: pages opened from a disk may lack
// crypto.subtle, and a coder's file has to fit what caesura.io.page_files computes.

const ROUND_CONSTANTS = fractionalRoots(64, 1 / 3);

// The first 32 bits of the fractional parts of roots of the first primes.
function fractionalRoots(n, power) {
  const found = [];
  for (let candidate = 2; found.length < n; candidate++) {
    let isPrime = true;
    for (let i = 2; i * i <= candidate && isPrime; i++) isPrime = candidate % i !== 0;
    const root = candidate ** power;
    if (isPrime) found.push(Math.floor((root - Math.floor(root)) * 2 ** 32) >>> 0);
  }
  return found;
}

function sha256(text) {
  const length = text.length;
  const words = new Uint32Array((((length + 8) >> 6) + 1) * 16);
  for (let i = 0; i < length; i++) words[i >> 2] |= text.charCodeAt(i) << (24 - 8 * (i & 3));
  words[length >> 2] |= 0x80 << (24 - 8 * (length & 3));
  words[words.length - 2] = Math.floor(length / 2 ** 29);
  words[words.length - 1] = length << 3;
  const hash = Uint32Array.from(fractionalRoots(8, 1 / 2));
  const w = new Uint32Array(64);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < words.length; block += 16) {
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      if (i < 16) w[i] = words[block + i];
      else {
        const x = w[i - 15], y = w[i - 2];
        const low = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3), high = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
        w[i] = w[i - 16] + low + w[i - 7] + high;
      }
      const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i] + w[i];
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => (hash[i] += value));
  }
  return [...hash].map((word) => word.toString(16).padStart(8, "0")).join("");
}

// Keys in order, no spaces, and whatever is not ASCII as \uXXXX.
function canonical(value) {
  const sorted = (key, one) => (one === null || typeof one !== "object" || Array.isArray(one) ? one
    : Object.fromEntries(Object.keys(one).sort().map((name) => [name, one[name]])));
  const escape = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, sorted).replace(/[\u007f-\uffff]/g, escape);
}

const digest = (value) => sha256(canonical(value));
