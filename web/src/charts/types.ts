// What pages give to the charts.

export interface Point {
  /** Unix seconds. */
  readonly time: number
  /** null: there was no measurement, which stays a gap. */
  readonly value: number | null
}

export interface Series {
  readonly name: string
  readonly unit: string
  readonly points: readonly Point[]
}
