// What runs for the content filter, by name. How it is made is in runs.ts.

import { service } from '../../core/area/service.ts'
import type { CategoryDatabase } from './runs/categories.ts'
import type { WebFilterSocket } from './runs/socket.ts'

/** Lists of categories, and the index of them. */
export const webCategoriesService = service<CategoryDatabase>('categories of sites')
/** How the decision process is; its report is null while it is away. */
export const webFilterService = service<Pick<WebFilterSocket, 'report'>>('socket of the decision process')
