import { defineEngine } from '../../kit/privileged.ts'
import { fastPath } from '../index.ts'
import { fastPathEntry } from './way.ts'

export const fastPathEngine = defineEngine(fastPath, () => ({ units: {}, unitTemplates: {}, ways: [fastPathEntry] }))
