import type { Language } from '../language.js';
import type { Value } from '../value.js';
import type { ValueType } from '../value-type.js';

export { type Language, languages } from '../language.js';
export type { ValueType } from '../value-type.js';

export const difficulties = ['easy', 'medium', 'hard'] as const;
export type Difficulty = (typeof difficulties)[number];

/**
 * - `function`: the answer is a module with a function; a case is a call of it.
 * - `script`: the answer is run in a work directory; a case is such a directory with what the script finds there.
 * - `document`: the answer is a text that is read, never run; a case is what the task's text is about.
 * - `episode`: the answer is given in steps, with observations between them.
 */
export type EnvironmentKind = 'function' | 'script' | 'document' | 'episode';

export interface EnvironmentLimits {
  /** Of one case: one call of the function, one run of the script. Default 2, script 15. */
  readonly caseSeconds: number;
  /** Of one verification. Default 20, script 60. */
  readonly totalSeconds: number;
  /** Default 256. */
  readonly memoryMb: number;
  /** Processes and threads at a time. Default 16, script and episode 64. */
  readonly processes: number;
  /** Of stdout and stderr together. Default 64. */
  readonly outputKb: number;
  /** Of written files together. Default 64. */
  readonly diskMb: number;
}

export interface FunctionSignature {
  /** By language; JavaScript and TypeScript share one, by default the Python name in camel case. */
  readonly names: { readonly python: string; readonly javascript: string };
  readonly parameters: readonly { readonly name: string; readonly type: ValueType }[];
  readonly returns: ValueType;
}

/** A source file of the environment. */
export interface SourceFile {
  readonly language: Language;
  /** Relative to the environment's folder. */
  readonly path: string;
  readonly text: string;
}

/**
 * How an answer's output becomes passed or not. Comparators work on `Value`s and never run code; a script gets
 * `(input, output, expected)` and runs in a process of its own, apart from the answer's.
 * - `exact`: types matter (`1 ≠ 1.0`, `(1,) ≠ [1]`, −0 ≠ 0); NaN equals NaN.
 * - `structural`: numbers by value, tuples as lists, −0 = 0, NaN = NaN; a bool is no number, a string no list.
 * - `numeric`: structural, with numbers within `absolute + relative · |expected|`; infinities and NaN must be equal.
 * - `unordered`: structural, with lists as multisets down to `depth` levels.
 */
export type Checker =
  | { readonly kind: 'exact' | 'structural' }
  | { readonly kind: 'numeric'; readonly relative: number; readonly absolute: number }
  | { readonly kind: 'unordered'; readonly depth: number }
  | { readonly kind: 'script'; readonly source: SourceFile; readonly functionName: string };

/** What the text of an answer must and must not contain, found by a parser. Names: docs/gym.md lists them. */
export interface SourceRules {
  /** `sorted`, `list.sort` (any method call `.sort`), `heapq.merge`, `eval`, `import os`. */
  readonly forbid: readonly string[];
  /** `loop`, `comparison`, `recursion`, `function`. */
  readonly require: readonly string[];
}

/** One thing that an answer is tried on. */
export interface Case {
  readonly id: string;
  /**
   * function: the positional arguments. script and document: one item, a dict that the environment's checker understands
   * (for scripts the keys `files`, `env`, `stdin`, `arguments`, `service` have a meaning; see docs/gym.md).
   */
  readonly input: readonly Value[];
  /** undefined where the checker decides without it (any valid answer). */
  readonly expected?: Value;
  readonly weight: number;
  /** Cases of one group pass together or not at all, so that a constant answer earns nothing on yes-or-no questions. */
  readonly group: string | null;
}

/** The cases of a variant, made ready. */
export interface CaseSet {
  readonly variant: string;
  readonly seed: number;
  readonly cases: readonly Case[];
  /** sha256 over the cases. */
  readonly hash: string;
}

/**
 * A named overlay. `train`, `eval` and `holdout` never share an input; nor do others with `eval` and `holdout`. They exist always where there is
 * a generator; without one a variant exists when cases are declared for it. DeepGym folders have one, `default`, without cases.
 */
export interface Variant {
  readonly name: string;
  /** The declared cases that belong to it. */
  readonly declared: readonly Case[];
  /** How many the generator adds, and from which seed. */
  readonly generated: number;
  readonly seed: number;
  /** Passed to the generator: sizes, ranges. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Replaces the environment's task text. */
  readonly task: string | null;
}

export interface ScriptSpec {
  /** The answer's file name in the work directory, by language: `{bash: 'answer.sh', python: 'answer.py'}`. One for each of the environment's languages. */
  readonly entry: Readonly<Partial<Record<Language, string>>>;
  /** Put into the work directory before the answer. */
  readonly files: Readonly<Record<string, string>>;
  /** A Python program that runs beside the answer, in the sandbox, such as an HTTP server. It gets the case's `service` value as JSON on stdin, says `ready` or `ready {"NAME": "a variable for the answer"}` on stdout, and what it prints after that goes to the checker. */
  readonly service: SourceFile | null;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Run in the work directory with the arguments as JSON on stdin. */
  readonly source: SourceFile;
}

export interface EpisodeSpec {
  readonly maxSteps: number;
  readonly stepSeconds: number;
  readonly files: Readonly<Record<string, string>>;
  readonly actions: readonly ('bash' | 'python' | 'tool')[];
  readonly tools: readonly ToolSpec[];
  /** The file whose function is verified at the end (and after each step where `stepReward` is `improvement`). null: the checker gets the work directory. */
  readonly answerFile: string | null;
  /** `none`: 0 until the end. `improvement`: the score after the step less the one before it. */
  readonly stepReward: 'none' | 'improvement';
}

/** A folder of the old DeepGym kind, whose own verifier decides. */
export interface DeepGymVerifier {
  readonly source: string;
  readonly standalone: boolean;
  readonly testCases: unknown;
  readonly envVars: Readonly<Record<string, string>>;
}

/** An environment as loaded from its folder. Frozen; nothing of it depends on a sandbox. */
export interface Environment {
  /** `coin_change`, `cyber/log_triage`: the folder's path below its root. */
  readonly name: string;
  readonly id: string;
  readonly title: string;
  readonly kind: EnvironmentKind;
  /** The first is the default. Empty for documents, and for episodes without an answer file. */
  readonly languages: readonly Language[];
  readonly difficulty: Difficulty;
  readonly domain: string;
  readonly family: string;
  readonly tags: readonly string[];
  readonly licence: string;
  readonly provenance: string;
  readonly task: string;
  readonly limits: EnvironmentLimits;
  /** `passed` iff the score is at least this. */
  readonly passThreshold: number;
  /** Parts of the score: `correctness`, and `rules` where there are rules. They sum to 1. */
  readonly weights: Readonly<Record<string, number>>;
  /** The most an answer gets that breaks a rule. Default 0.3. */
  readonly ruleBreakCap: number;
  /** The most that empty, constant, echo and stub answers may get. Default 0.2. */
  readonly floor: number;
  readonly signature: FunctionSignature | null;
  readonly script: ScriptSpec | null;
  readonly episode: EpisodeSpec | null;
  readonly deepgym: DeepGymVerifier | null;
  readonly checker: Checker;
  readonly rules: Readonly<Partial<Record<Language, SourceRules>>>;
  readonly generator: { readonly source: SourceFile; readonly functionName: string } | null;
  readonly references: readonly SourceFile[];
  readonly badAnswers: readonly (SourceFile & { readonly maxScore: number })[];
  readonly variants: Readonly<Record<string, Variant>>;
  readonly defaultVariant: string;
  readonly directory: string;
  /** sha256 over all files of the folder. */
  readonly contentHash: string;
}
