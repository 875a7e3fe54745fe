function groupAnagrams(strs) {
  const groups = {};
  for (const word of strs) {
    const key = [...word].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    groups[key] ??= [];
    groups[key].push(word);
  }
  return Object.values(groups);
}
