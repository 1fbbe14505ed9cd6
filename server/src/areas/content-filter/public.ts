// What others may use of this area.

export { listCategories } from './config.ts'
