/** Answers write what they like, and name their files so; a terminal must not obey it. Lines stay lines. */
export const printable = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(
      /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
      (character) => `\\x${character.codePointAt(0)!.toString(16).padStart(2, '0')}`,
    );
