import type { AttackLanguage } from './attacks.js';

/** Why an environment does not pass, or what its author should look at. */
export interface Finding {
  /**
   * `unusable`: nothing could be judged. `reference`: one does not score 1. `worthless`: an answer without worth earns more than the floor.
   * `attack`: one succeeded. `mutant`: changed references pass. `flaky`: equal answers get different scores. `bad-answer`: one earns more than it may.
   */
  readonly kind: 'unusable' | 'reference' | 'worthless' | 'attack' | 'mutant' | 'flaky' | 'bad-answer';
  readonly message: string;
}

export interface AttackResult {
  readonly name: string;
  readonly language: AttackLanguage;
  readonly what: string;
  /** Hostile answers that were judged. */
  readonly answers: number;
  /** The highest of their scores. */
  readonly score: number;
  /** How it succeeded; null when it did not. */
  readonly success: string | null;
}

export interface SurvivingMutant {
  /** The reference's path. */
  readonly reference: string;
  readonly line: number;
  readonly change: string;
}

export interface EnvironmentQa {
  readonly environment: string;
  readonly passed: boolean;
  readonly failures: readonly Finding[];
  /** What may be all right, such as a mutant that is no different from the reference. */
  readonly warnings: readonly Finding[];
  readonly references: { readonly runs: number; readonly failed: number };
  readonly worthless: { readonly answers: number; readonly highest: number; readonly floor: number };
  readonly badAnswers: number;
  readonly attacks: readonly AttackResult[];
  readonly mutants: { readonly made: number; readonly killed: number; readonly survived: readonly SurvivingMutant[] };
  readonly seconds: number;
}

export interface QaSummary {
  readonly environments: number;
  /** Attacks times environments. */
  readonly attacks: number;
  readonly succeeded: number;
  /** Runs of references that did not score 1. */
  readonly referencesFailed: number;
  readonly failed: readonly string[];
  readonly passed: boolean;
}

export interface QaReport extends QaSummary {
  readonly results: readonly EnvironmentQa[];
}

export function summarise(results: readonly EnvironmentQa[]): QaSummary {
  const attacks = results.flatMap((result) => result.attacks);
  return {
    environments: results.length,
    attacks: attacks.length,
    succeeded: attacks.filter((attack) => attack.success !== null).length,
    referencesFailed: results.reduce((sum, result) => sum + result.references.failed, 0),
    failed: results.filter((result) => !result.passed).map((result) => result.environment),
    passed: results.every((result) => result.passed),
  };
}
