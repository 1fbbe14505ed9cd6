// Offers the categories that rules can name, and the slots that decide which exist.

export { listCategories, start, userCategories } from './config.ts'
