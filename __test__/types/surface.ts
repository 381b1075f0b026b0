/** Types that are written out for hover agree with the schemas that check the values. `tsc` refuses this file if they differ. */

import type { z } from 'zod';
import type * as errors from '../../dist/boundary/errors.js';
import type * as optionSchemas from '../../dist/kernel/config/option_schemas.js';
import type { AGENT_TOOLS } from '../../dist/tool_shape/agent_tool_table.js';
import type * as declared from '../../index.js';

type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;
type ConfigInput = (typeof optionSchemas.ConfigInputSchema)['_input'];
type ExecOptionKeys = keyof (typeof optionSchemas.ExecOptionsSchema)['_input'];

type FilledSchema = typeof declared.TGPConfigSchema;
/** What the schema makes of a configuration: its secrets have no defaults yet. */
type FilledConfig = Omit<declared.LoadedTGPConfig, 'secrets'> & { secrets: Record<string, declared.SecretConfigInput> };

export const configTypesAgree: Equal<Plain<declared.TGPConfigInput>, Plain<ConfigInput>> = true;
export const filledInputAgrees: Equal<Plain<declared.TGPConfigInput>, Plain<FilledSchema['_input']>> = true;
export const filledOutputAgrees: Equal<Plain<FilledConfig>, Plain<FilledSchema['_output']>> = true;
export const execOptionsAgree: Equal<keyof declared.ExecOptions, ExecOptionKeys> = true;
export const errorCodesAgree: Equal<declared.TGPErrorCode, keyof typeof errors.ERROR_CLASSES> = true;

type DeclaredTools = declared.TGPTools & declared.SqlTools;
type DeclaredArgs = { [Name in keyof DeclaredTools]: Parameters<DeclaredTools[Name]['execute']>[0] };

/** Every kernel tool is declared, with the arguments of its schema. */
type TableArgs = { [Name in keyof typeof AGENT_TOOLS]: z.input<(typeof AGENT_TOOLS)[Name]['parameters']> };
export const declaredArgs = (args: TableArgs): DeclaredArgs => args;
export const tableArgs = (args: DeclaredArgs): TableArgs => args;
