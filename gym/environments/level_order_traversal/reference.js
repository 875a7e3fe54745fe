export function levelOrder(tree) {
  const exists = (place) => place < tree.length && tree[place] !== null;
  const levels = [];
  let places = [0].filter(exists);
  while (places.length > 0) {
    levels.push(places.map((place) => tree[place]));
    places = places.flatMap((place) => [2 * place + 1, 2 * place + 2]).filter(exists);
  }
  return levels;
}
