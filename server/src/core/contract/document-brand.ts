// The brand in the description of the interface.

/** The brand of the copy in docs/; a gateway with another one serves the document with its own (gatewayd/http/reference.ts). */
export const documentBrand = 'portcullis'
