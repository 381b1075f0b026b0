/** Types of the addon's answers, which are only JSON text in `binding.d.cts`. */

import type * as binding from '../../binding.cjs';
import type {
  DatabaseAnswers,
  KernelAnswers,
  KernelReads,
  ModuleAnswers,
  SqlRulesAnswers,
  VfsAnswers,
} from './crossing.js';

declare const answer: unique symbol;

/** A value as JSON text, or an error. `unwrap` returns the value or throws the error. */
export type NativeOutcome<Value> = binding.BindingOutcome & { readonly [answer]?: Value };

/** `Class` with typed answers of its methods. */
type Answering<Class, Answers> = {
  [Method in keyof Class]: Method extends keyof Answers ? Answered<Class[Method], Answers[Method]> : Class[Method];
};

type Answered<Method, Value> = Method extends (...args: infer Args) => Promise<binding.BindingOutcome>
  ? (...args: Args) => Promise<NativeOutcome<Value>>
  : Method extends (...args: infer Args) => binding.BindingOutcome
    ? (...args: Args) => NativeOutcome<Value>
    : Method;

/** The kernel of the addon. */
export type NativeKernel = Omit<Answering<binding.BindingKernel, KernelAnswers>, 'read'> & {
  read<Tool extends keyof KernelReads>(
    tool: Tool,
    argsJson: string,
    caller: string | undefined,
  ): Promise<NativeOutcome<KernelReads[Tool]>>;
};
/** The embedded SQLite of the addon. */
export type NativeDatabase = Answering<binding.BindingDatabase, DatabaseAnswers>;
/** The SQL classifier of the addon. */
export type NativeSqlRules = Answering<binding.BindingSqlRules, SqlRulesAnswers>;
/** The file system of the addon. */
export type NativeVfs = Answering<binding.BindingVfs, VfsAnswers>;

type Classes = {
  BindingKernel: new (...args: ConstructorParameters<typeof binding.BindingKernel>) => NativeKernel;
  BindingDatabase: new (...args: ConstructorParameters<typeof binding.BindingDatabase>) => NativeDatabase;
  BindingSqlRules: new (...args: ConstructorParameters<typeof binding.BindingSqlRules>) => NativeSqlRules;
  BindingVfs: new (...args: ConstructorParameters<typeof binding.BindingVfs>) => NativeVfs;
};

/** The whole addon. */
export type Native = Omit<Answering<typeof binding, ModuleAnswers>, keyof Classes> & Classes;
