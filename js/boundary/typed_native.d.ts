/** The addon with the types of what its methods answer, which `binding.d.cts` knows as JSON text only. */

import type * as binding from '../../binding.cjs';
import type { DatabaseAnswers, KernelAnswers, ModuleAnswers, SqlRulesAnswers, VfsAnswers } from './crossing.js';

declare const answer: unique symbol;

/** A value as JSON text, or an error; `unwrap` makes one or the other of it. */
export type Outcome<Value> = binding.BindingOutcome & { readonly [answer]?: Value };

/** What `Class` is, with methods that answer with values of these types. */
type Answering<Class, Answers> = {
  [Method in keyof Class]: Method extends keyof Answers ? Answered<Class[Method], Answers[Method]> : Class[Method];
};

type Answered<Method, Value> = Method extends (...given: infer Given) => Promise<binding.BindingOutcome>
  ? (...given: Given) => Promise<Outcome<Value>>
  : Method extends (...given: infer Given) => binding.BindingOutcome
    ? (...given: Given) => Outcome<Value>
    : Method;

export type NativeKernel = Answering<binding.BindingKernel, KernelAnswers>;
export type NativeDatabase = Answering<binding.BindingDatabase, DatabaseAnswers>;
export type NativeSqlRules = Answering<binding.BindingSqlRules, SqlRulesAnswers>;
export type NativeVfs = Answering<binding.BindingVfs, VfsAnswers>;

type Classes = {
  BindingKernel: new (...given: ConstructorParameters<typeof binding.BindingKernel>) => NativeKernel;
  BindingDatabase: new (...given: ConstructorParameters<typeof binding.BindingDatabase>) => NativeDatabase;
  BindingSqlRules: new (...given: ConstructorParameters<typeof binding.BindingSqlRules>) => NativeSqlRules;
  BindingVfs: new (...given: ConstructorParameters<typeof binding.BindingVfs>) => NativeVfs;
};

export type Native = Omit<Answering<typeof binding, ModuleAnswers>, keyof Classes> & Classes;
