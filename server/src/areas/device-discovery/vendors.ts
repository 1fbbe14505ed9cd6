// What is shown as the maker of a network card. Pure.

import { isRandomMac } from '../../shared/net/neighbours.ts'

export const randomAddress = 'random address'

/** `names`: the makers that are known, by MAC. */
export const vendorOf = (names: ReadonlyMap<string, string>, mac: string): string =>
  isRandomMac(mac) ? randomAddress : (names.get(mac) ?? '')
