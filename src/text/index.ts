export { nearest, someNames } from './nearest.js';
export { shorten } from './shorten.js';
