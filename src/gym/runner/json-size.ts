/** Lists and objects in one another: what the drivers encode of a value 200 levels deep, and the line around it. */
const maxDepth = 620;
/** Values in one line: more than the drivers encode, with the pairs and tags around them. */
const maxParts = 4_000_000;

const quote = 34;
const comma = 44;
const backslash = 92;
const isOpening = (code: number) => code === 91 || code === 123;
const isClosing = (code: number) => code === 93 || code === 125;

/**
 * Whether a JSON text has no more parts, and no deeper ones, than can be read in a moment. A line of 32 MB that an answer has made up
 * can be ten million lists, or sixteen million in one another, and would cost this process a gigabyte before anybody looked at them.
 */
export function isReadable(json: string): boolean {
  let depth = 0;
  let parts = 1;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (isOpening(code)) {
      parts++;
      if (++depth > maxDepth) return false;
    } else if (isClosing(code)) depth--;
    else if (code === comma) parts++;
    if (parts > maxParts) return false;
  }
  return true;
}

/** Where the quote is that closes a text; at the end of the line where there is none. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}
