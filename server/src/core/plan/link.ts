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

/** A card as the kernel shows it (`ip -json -details`). */
export interface ShownCard {
  readonly address?: string
  /** The address that is built in, shown while it has another one. */
  readonly permaddr?: string
  /** `perm_hwaddr`: what an aggregated interface gives back to a card that leaves it. */
  readonly linkinfo?: { readonly info_slave_data?: { readonly perm_hwaddr?: string } }
}

/** The address by which a card is known: in an aggregated interface it shows that of the interface. Cards of containers have none built in. */
export const ownAddress = (card: ShownCard | undefined): string | undefined =>
  card?.permaddr ?? card?.linkinfo?.info_slave_data?.perm_hwaddr ?? card?.address
