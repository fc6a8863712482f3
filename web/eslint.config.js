// The rules for the studio's page: `npm run lint`.
import js from "@eslint/js";
import typescript from "typescript-eslint";

export default typescript.config(
  { ignores: ["dist/", "eslint.config.js"] },
  js.configs.recommended,
  ...typescript.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: "error",
      "no-console": "error",
      "@typescript-eslint/no-unused-expressions": ["error", { allowTernary: true }], // `shift ? redo() : undo()`
      "@typescript-eslint/no-unused-vars": "off", // tsc reports them (noUnusedLocals, noUnusedParameters)
      "@typescript-eslint/no-base-to-string": "off", // values of a scene file are unknown, and shown as text
      "@typescript-eslint/no-unnecessary-type-assertion": "off", // a cast may say what a test means
    },
  },
);
