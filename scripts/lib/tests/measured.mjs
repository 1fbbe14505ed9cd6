// Loaded before a test file that has a process of its own (--import): reports at its end what the file cost. What the file starts
// inherits the option and reports nothing.

import { relative } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { beginCost, costsVariable } from './cost.mjs'

const isTestFile =
  isMainThread && process.env.NODE_TEST_CONTEXT !== undefined && process.env[costsVariable] !== undefined
const file = relative('', process.argv[1] ?? '')
if (isTestFile && /\.(?:test|e2e)\.(?:ts|js|mjs)$/.test(file)) process.once('exit', beginCost(file))
