// The worker thread that makes the rules of the inspection engine, away from the event loop of gatewayd.

import { serveTasks } from '../../../core/workers/serve.ts'
import { compileRules } from './compile.ts'

export const compileTasks = { compile: compileRules }

serveTasks(compileTasks)
