import { describe, expect, it } from 'vitest';
import { openCases } from '../../../src/gym/cases/index.js';
import { loadEnvironment, renderTask } from '../../../src/gym/environment/index.js';
import type { Environment, SourceFile } from '../../../src/gym/environment/types.js';
import { toPlain } from '../../../src/gym/value.js';
import { documentReference, verify } from '../../../src/gym/verify/index.js';
import { isolatedContext } from '../script/context.js';
import { describeIsolatedPython } from '../support.js';

const names = [
  'file_organizer',
  'cli_task',
  'api_request',
  'data_pipeline',
  'cyber/cve_2021_44228_log_triage',
  'cyber/web_path_traversal_toy',
  'multi_turn/debug_fix',
];
const environments = new Map<string, Environment>();
for (const name of names) environments.set(name, await loadEnvironment(name));
const variantsOf = (kinds: readonly string[]) =>
  [...environments.values()].flatMap((environment) =>
    kinds.includes(environment.kind)
      ? Object.keys(environment.variants).map((variant) => [environment.name, variant] as const)
      : [],
  );

describe('the environments that are not functions alone', () => {
  it.each(names)('%s has train, eval and holdout, references and bad answers', (name) => {
    const environment = environments.get(name)!;
    expect(Object.keys(environment.variants)).toEqual(expect.arrayContaining(['train', 'eval', 'holdout']));
    expect(environment.references.length).toBeGreaterThan(0);
    expect(environment.badAnswers.length).toBeGreaterThan(1);
  });
});

describeIsolatedPython('scripts, documents and episodes', () => {
  const context = isolatedContext();

  async function judge(environment: Environment, variant: string, answer: SourceFile | string) {
    const cases = await openCases(context(), environment, variant);
    const language = typeof answer === 'string' ? (environment.languages[0] ?? 'python') : answer.language;
    return verify(context(), environment, cases, typeof answer === 'string' ? answer : answer.text, language);
  }

  it.each(variantsOf(['script', 'document', 'episode']))('%s, %s: references score 1', async (name, variant) => {
    const environment = environments.get(name)!;
    const cases = await openCases(context(), environment, variant);
    // A script is run once for each case: the default variant tries all references, the others one.
    const tried = variant === environment.defaultVariant ? environment.references : environment.references.slice(0, 1);
    await Promise.all(
      tried.map(async (reference) => {
        const answer =
          environment.kind === 'document'
            ? await documentReference(context(), environment, cases, reference)
            : reference.text;
        const verdict = await verify(context(), environment, cases, answer, reference.language);
        const wrong = verdict.cases.filter(({ passed }) => !passed).map(({ id, error }) => `${id}: ${error}`);
        expect([reference.path, verdict.score, wrong, verdict.stderr]).toEqual([reference.path, 1, [], '']);
      }),
    );
  });

  it.each(names)('%s: empty answers get nothing, bad ones no more than they may', async (name) => {
    const environment = environments.get(name)!;
    for (const worthless of environment.kind === 'script' ? [''] : ['', '#', '{}']) {
      expect((await judge(environment, 'train', worthless)).score).toBe(0);
    }
    await Promise.all(
      environment.badAnswers.map(async (bad) => {
        const { score } = await judge(environment, 'train', bad);
        expect([bad.path, score <= bad.maxScore, score < 1]).toEqual([bad.path, true, true]);
      }),
    );
  });

  it('four answers to cli_task at once do not see each other', async () => {
    const environment = environments.get('cli_task')!;
    const [reference] = environment.references;
    const verdicts = await Promise.all(Array.from({ length: 4 }, () => judge(environment, 'train', reference!)));
    expect(verdicts.map(({ score }) => score)).toEqual([1, 1, 1, 1]);
  });

  it('cli_task runs nothing of what the answer leaves in the repository', async () => {
    const environment = environments.get('cli_task')!;
    const reference = environment.references.find(({ language }) => language === 'bash')!;
    const hooks = `${reference.text}
for hook in post-index-change fsmonitor reference-transaction; do printf '#!/bin/sh\\ntouch /tmp/ran\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
git config core.fsmonitor .git/hooks/fsmonitor
git config alias.log '!false'
echo done`;
    expect((await judge(environment, 'train', { ...reference, text: hooks })).score).toBe(1);
    const forged = `${reference.text}\nchmod -R u+w .git/objects; for f in .git/objects/*/*; do echo x > "$f"; done; echo done`;
    expect((await judge(environment, 'train', { ...reference, text: forged })).score).toBe(0);
  });

  it('no output holds a checker up', async () => {
    const bash = (text: string) => ({ language: 'bash' as const, path: 'answer.sh', text });
    const start =
      'mkdir -p "$REPO_DIR"; cd "$REPO_DIR"; git init -q -b main .; export GIT_{AUTHOR,COMMITTER}_{NAME,EMAIL}=x';
    const wide = `${start}
tree=$(printf '100644 blob %s\\ta\\n' $(echo x | git hash-object -w --stdin) | git mktree)
for _ in $(seq 18); do tree=$(for name in a b c d e f g h i j; do printf '040000 tree %s\\t%s\\n' $tree $name; done | git mktree); done
git update-ref refs/heads/main $(git commit-tree $tree -m x)`;
    const endless = `${start}
tree=$(printf '100755 and no end of it, not even one of its names' | git hash-object -t tree -w --stdin --literally)
git update-ref refs/heads/main $(printf 'tree %s\\nauthor x <x> 1 +0000\\ncommitter x <x> 1 +0000\\n\\nx\\n' $tree | git hash-object -t commit -w --stdin --literally)`;
    for (const text of [wide, endless])
      expect((await judge(environments.get('cli_task')!, 'train', bash(text))).score).toBe(0);
    const lines = "head -c 65000 /dev/zero | tr '\\0' '\\n'; printf x";
    expect((await judge(environments.get('api_request')!, 'train', bash(lines))).score).toBe(0);
    for (const text of ['`'.repeat(480_000), '```a\n'.repeat(96_000)]) {
      for (const name of names.slice(4, 6)) expect((await judge(environments.get(name)!, 'train', text)).score).toBe(0);
    }
  }, 120_000);

  it('api_request counts titles only from who asked the service for all pages', async () => {
    const environment = environments.get('api_request')!;
    const cases = await openCases(context(), environment, 'train');
    const known = JSON.stringify(cases.cases.map((one) => (toPlain(one.expected!) as { titles: string[] }).titles));
    const answer = `
import json, os
for titles in json.loads(${JSON.stringify(known)}):
    print("\\n".join(titles))
    break`;
    expect((await judge(environment, 'train', { language: 'python', path: 'answer.py', text: answer })).score).toBe(0);
  });

  it.each(variantsOf(['document']))(
    '%s, %s: the text shows the case, and other seeds other data',
    async (name, variant) => {
      const environment = environments.get(name)!;
      const task = async (text: string) =>
        renderTask(environment, await openCases(context(), environment, text), 'python');
      const one = await task(variant);
      expect(one).not.toContain('{{');
      expect(await task(`${variant}@901`)).not.toBe(one);
      expect(await task(`${variant}@901`)).toBe(await task(`${variant}@901`));
    },
  );

  it.each(Array.from({ length: 6 }, (_, seed) => seed + 500))('documents of seed %i are solvable', async (seed) => {
    for (const [name] of variantsOf(['document']).filter(([, variant]) => variant === 'train')) {
      const environment = environments.get(name)!;
      const cases = await openCases(context(), environment, `train@${seed}`);
      const text = await documentReference(context(), environment, cases, environment.references[0]!);
      expect(
        (await verify(context(), environment, cases, `Here:\n\n\`\`\`json\n${text}\n\`\`\`\n`, 'python')).score,
      ).toBe(1);
      expect((await verify(context(), environment, cases, `${text} and so on`, 'python')).score).toBe(0);
    }
  });

  it('log triage: a guess that blames everyone, or knows the flaw but not the log, gets nothing', async () => {
    const environment = environments.get('cyber/cve_2021_44228_log_triage')!;
    const cases = await openCases(context(), environment, 'eval');
    const { log } = toPlain(cases.cases[0]!.input[0]!) as { log: string };
    const expected = toPlain(cases.cases[0]!.expected!) as Record<string, unknown>;
    const everyone = [...new Set(log.match(/^[\d.]+/gm))];
    const score = async (answer: object) => (await judge(environment, 'eval', JSON.stringify(answer))).score;
    expect(await score({ ...expected, source_ips: everyone })).toBe(0);
    expect(await score({ ...expected, source_ips: [] })).toBe(0);
    expect(await score({ source_ips: expected.source_ips })).toBeCloseTo(0.4, 9);
    expect(await score(expected)).toBe(1);
  });
});
