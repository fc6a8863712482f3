// Made from src/randori/studio/messages/base.py by `python -m randori.studio.typescript`: edit that one.

/** Base classes of all messages. */

/** The reason why something cannot be done, for the user. */
export interface Problem {
  type: "problem";
  message: string;
  file: string;
  line: number | null;
  key: string;
}
