// Draws one of our icons. Without a label it is decoration beside a word and hidden from screen readers.

import { type IconName, icons } from './icons.ts'

export interface IconProps {
  readonly name: IconName
  readonly label?: string | undefined
  readonly size?: number
}

export function Icon({ name, label, size = 16 }: IconProps) {
  const Drawing = icons[name]
  if (label === undefined) return <Drawing size={size} strokeWidth={1.5} aria-hidden="true" focusable="false" />
  return <Drawing size={size} strokeWidth={1.5} role="img" aria-label={label} focusable="false" />
}
