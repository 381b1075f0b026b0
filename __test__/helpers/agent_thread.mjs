/** An agent in a worker thread: posts the outcome of one task in a session. */

import { parentPort, workerData } from 'node:worker_threads';
import { TGP } from '../../index.js';
import { agentModel } from './agent_model.js';

const { rootDir, session } = workerData;
const kernel = new TGP({ config: { rootDir } });
const { result } = kernel.agent({ model: agentModel([{ text: 'done' }]) }).run('go', { session });
const { outcome, error } = await result;
await kernel.shutdown();
parentPort?.postMessage(error?.message ?? outcome);
