// What others may use of this area.

export {
  findById,
  findByLogin,
  hasAdministrator,
  passwordPlace,
  renewPasswordHash,
  type StoredAdministrator,
} from './config.ts'
