import fc from 'fast-check';

/**
 * Property tests draw the same cases in every run, so that a run says something about the change it tests.
 * `ANNEAL_PROPERTY_SEED=<integer>` draws others, to look for what the usual ones miss.
 */
const seed = Number(process.env.ANNEAL_PROPERTY_SEED ?? 20_260_101);
if (!Number.isInteger(seed)) throw new Error('ANNEAL_PROPERTY_SEED must be an integer');
fc.configureGlobal({ seed });
