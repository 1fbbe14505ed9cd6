// Edits of the firewall that no declaration gives.

import { addItem } from '../../core/model/list-edits.ts'
import { requireIn } from '../../core/model/lists.ts'
import type { Config } from '../../core/model/slots.ts'
import { checks } from './config.ts'
import { checkList } from './lists.ts'

/** A test whose interface is gone can be copied too. */
export const copyCheck = (config: Config, id: string, newId: string): Config =>
  addItem(config, checks, { ...requireIn(config, checkList, id), id: newId })
