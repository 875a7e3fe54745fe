/** The text where it has at most `length` characters, else its beginning with `…`, as long as that. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
