function levelOrder(tree) {
  return [tree.filter((value) => value !== null)];
}
