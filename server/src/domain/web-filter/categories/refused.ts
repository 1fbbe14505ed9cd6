// The refusal of lists or of an archive of them.

/** The message is a sentence for an administrator. */
export class ListsRefused extends Error {}
