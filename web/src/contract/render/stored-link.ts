// A stored object named by the gateway, such as `firewall.forward[7].source_addresses`, as words with a page.

import type { NumberOf } from '../../util/rule-numbers.ts'
import { pathOfObject, titleOfObject } from '../../util/stored-objects.ts'

export interface StoredLink {
  readonly title: string
  readonly path: string
}

export function linkOfStored(field: string, numberOf?: NumberOf): StoredLink | null {
  const object = /^[a-z_]+(?:\.[a-z_]+)+(?:\[[^\]]*\])?/.exec(field)?.[0]
  if (object === undefined) return null
  const path = pathOfObject(object)
  return path === null ? null : { title: titleOfObject(object, [], numberOf), path }
}
