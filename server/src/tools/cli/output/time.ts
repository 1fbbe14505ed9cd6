// Moments as the gateway writes them, in a form to read. Always UTC, and column heads say so.

/** From ISO 8601; what has another form stays as it is. */
export const showTime = (iso: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(iso) ? iso.slice(0, 19).replace('T', ' ') : iso

/** From the number YYYYMMDDhhmmss of the session list. */
export const showStamp = (stamp: number): string =>
  String(stamp).replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6')
