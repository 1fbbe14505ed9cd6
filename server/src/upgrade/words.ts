// What applyd, the program that takes a package, and gatewayd say alike.

import { say } from '../shared/said.ts'

export const notAPackage = say`This gateway was not installed as a package, so it cannot install updates. Update the folder that it was started from.`
