// A QR code as an inline picture, made here: the key in it must not be sent to any other service.

import encodeQR from 'qr'
import { html, type Markup } from './html.ts'

/** Longer texts make a code that cameras do not read from a screen. */
export const maxQrText = 512

/** Null when the text does not fit. A path of squares, so nothing of the text itself is in the markup. */
export function qrPicture(text: string, title: string): Markup | null {
  if (text.length > maxQrText) return null
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 })
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`<svg class="qr" role="img" aria-label="${title}" viewBox="0 0 ${rows.length} ${rows.length}" shape-rendering="crispEdges"><rect class="paper" width="100%" height="100%"/><path class="ink" d="${path}"/></svg>`
}
