// The shapes that every kind of object has on the wire: what is sent, what is stored, what is shown.

import type { TProperties } from 'typebox'
import { Comment, oneOf, strictObject, text } from './fields.ts'
import { Type } from './schema.ts'

export const Title = text({ minLength: 1, maxLength: 42 })

/** Bodies, stored form and shown form of one kind, all from its own fields. */
export const shapesOf = <P extends string, F extends TProperties>(prefix: P, fields: F) => ({
  body: strictObject({ title: Title, comment: Type.Optional(Comment), ...fields }),
  stored: strictObject({ id: Type.String(), title: Title, comment: Comment, ...fields }),
  shown: strictObject({ id: Type.String(), title: Title, comment: Comment, type: oneOf([prefix]), ...fields }),
})
