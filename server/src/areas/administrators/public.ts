// What other areas may use of administrators: who may sign in, and where their password hashes are bound.

export {
  canonicalLogin,
  findById,
  findByLogin,
  hasAdministrator,
  passwordPlace,
  renewPasswordHash,
  type StoredAdministrator,
} from './config.ts'
