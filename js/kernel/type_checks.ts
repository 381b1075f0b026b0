/** Type checks of a kernel. */

import type { TypeSources } from '../boundary/crossing.js';
import { InternalError } from '../boundary/errors.js';
import { wholeTypeOf } from '../prompt/typescript_signature.js';
import type { FunctionGuide } from '../types/functions.js';
import type { Logger } from '../types/kernel.js';
import type { TypeCheckOutcome } from '../types_check/type_checker.js';
import { TypeChecker } from '../types_check/type_checker.js';

/** The type checker of a kernel, for `check()` and for the strict check that the native part requests before a run. */
export class TypeChecks {
  #log;
  #checker: TypeChecker | undefined;
  /** Whether the warnings about missing type checks were logged. */
  #hasWarnedOfStrict = false;
  #hasWarnedOfRemedy = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @param baseDir where the application's packages are found
   * @param functions of the application, which tools may call
   */
  start(baseDir: string, functions: FunctionGuide[]) {
    this.#checker ??= new TypeChecker(baseDir, functions.map(declarationOf));
  }

  async check(sources: TypeSources): Promise<TypeCheckOutcome> {
    if (this.#checker === undefined) throw new InternalError('Types were requested before the kernel had booted.');
    const types = await this.#checker.check(sources);
    if ('notice' in types && types.remedy !== undefined && !this.#hasWarnedOfRemedy) {
      this.#hasWarnedOfRemedy = true;
      this.#log.warn(`Types of tools are not checked. ${types.remedy}`);
    }
    return types;
  }

  /** The type check of a strict kernel before a run. Warns once when types cannot be checked. */
  async checkBeforeRun(sources: TypeSources) {
    const types = await this.check(sources);
    if ('notice' in types && !this.#hasWarnedOfStrict) {
      this.#hasWarnedOfStrict = true;
      this.#log.warn(`check: 'strict' checks rules only. ${types.notice}`);
    }
    return types;
  }

  stop() {
    this.#checker?.stop();
  }
}

/** The TypeScript declaration of an application function as a member of `tgp`. */
function declarationOf({ name, parameters }: FunctionGuide) {
  if (parameters === undefined) return `${JSON.stringify(name)}(...args: any[]): any;`;
  const isNeeded = !(parameters.type === 'object' && (parameters.required ?? []).length === 0);
  return `${JSON.stringify(name)}(args${isNeeded ? '' : '?'}: ${wholeTypeOf(parameters)}): Promise<any>;`;
}
