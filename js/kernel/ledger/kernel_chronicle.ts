/** The chronicles of files: events of the ledger in the shape of the original protocol. */

import { toJsonText } from '../../boundary/json_text.js';
import { parseArguments, requireText } from '../../boundary/validation.js';
import type { KernelChronicle } from '../../types/chronicle.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { ChronicleEventSchema, ChronicleTailSchema } from './ledger_schemas.js';

/** Default number of events of `tail`. */
const TAIL_EVENTS = 50;

/** Implements `kernel.chronicle`. */
export function kernelChronicle(calls: KernelCalls): KernelChronicle {
  const read = async (path: string) => {
    requireText(path, 'path');
    return calls.read((kernel) => kernel.ledgerChronicle(fileOf(path)));
  };
  return {
    append: async (path, event) => {
      requireText(path, 'path');
      const { actor, ...body } = parseArguments(ChronicleEventSchema, event, 'chronicle event');
      const text = toJsonText({ path: fileOf(path), ...actor, body }, 'event');
      await calls.read((kernel) => kernel.ledgerAppend(text));
    },
    read,
    tail: async (path, count = TAIL_EVENTS) => {
      const limit = parseArguments(ChronicleTailSchema, count, 'number of events');
      return (await read(path)).slice(-limit);
    },
  };
}

/** The file of a chronicle, whose name may end in `.sage`. */
function fileOf(path: string) {
  return path.length > '.sage'.length && path.endsWith('.sage') ? path.slice(0, -'.sage'.length) : path;
}
