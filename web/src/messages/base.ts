// Made from src/randori/studio/messages/base.py by `python -m randori.studio.typescript`: edit that one.

/** Base classes of all messages. */

/** Why something cannot be done, for the person in front of the page. */
export interface Problem {
  type: "problem";
  message: string;
  file: string;
  line: number | null;
  key: string;
}
