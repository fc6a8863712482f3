// Made from src/randori/studio/messages/base.py by `python -m randori.studio.typescript`: edit that one.

/** What all messages have in common. */

/** Why something cannot be done, for the person in front of the page. */
export interface Problem {
  type: "problem";
  message: string;
  file: string;
  line: number | null;
  key: string;
}
