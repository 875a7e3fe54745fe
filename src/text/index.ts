export { nearest, someNames } from './nearest.js';
