import { UserError } from '../../config/index.js';
import { loadSuite, surveyEnvironments } from '../../gym/environment/index.js';
import { readArguments } from '../arguments.js';
import { table } from './table.js';

/** `anneal gym list`: the environments that can be used by name. Exit code 1 when one of them cannot be loaded. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym list', args, {
    suite: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (positionals.length > 0) {
    throw new UserError(`anneal gym list takes no argument; --suite ${positionals[0]} chooses`);
  }
  const survey = surveyEnvironments();
  const environments = values.suite === undefined ? survey.environments : await loadSuite(values.suite);
  for (const { name, error } of survey.broken) {
    process.stderr.write(`${name} cannot be used:\n${error.message.replace(/^/gm, '  ')}\n`);
  }
  if (values.json) {
    const rows = environments.map((one) => ({
      name: one.name,
      id: one.id,
      title: one.title,
      kind: one.kind,
      languages: one.languages,
      difficulty: one.difficulty,
      domain: one.domain,
      family: one.family,
      tags: one.tags,
      variants: Object.keys(one.variants),
      content_hash: one.contentHash,
      directory: one.directory,
    }));
    console.log(JSON.stringify(rows, null, 2));
  } else {
    const rows = environments.map(({ name, difficulty, kind, languages, variants, title }) => [
      name,
      difficulty,
      kind,
      languages.join(' ') || '–',
      Object.keys(variants).join(' '),
      title,
    ]);
    console.log(table(['name', 'difficulty', 'kind', 'languages', 'variants', 'title'], rows));
    console.log(`\n${environments.length} environments. anneal gym show <name> shows one.`);
  }
  return survey.broken.length > 0 ? 1 : 0;
}
