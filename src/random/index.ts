export { createRandom, type Random, shuffled } from './random.js';
