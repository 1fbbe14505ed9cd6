import type { LinkPlan } from './artifacts.ts'

/** A device that is there and up, without addresses, and what else of it is known. */
export const planLink = (origin: string, device: string, more: Partial<LinkPlan> = {}): LinkPlan => ({
  origin,
  device,
  make: null,
  isUp: true,
  addresses: [],
  routes: [],
  mirrors: [],
  ...more,
})
