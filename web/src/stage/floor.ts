/** The floor: squares of a metre, stronger lines every five, and the shadows on it. It fades into the distance. */

import * as THREE from "three";

const SIZE = 400; // metres

export function makeFloor(): THREE.Mesh {
  const material = new THREE.MeshStandardMaterial({ color: 0x5b5e65, roughness: 0.95, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onFloor;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nonFloor = (modelMatrix * vec4(position, 1.0)).xz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\nvarying vec2 onFloor;\n${LINES}`)
      .replace("#include <color_fragment>", `#include <color_fragment>
        float lines = max(0.1 * lineAt(onFloor, 1.0, 1.0), 0.22 * lineAt(onFloor, 5.0, 1.3));
        diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.62, 0.65, 0.71), lines);`);
  };
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(SIZE, SIZE), material);
  floor.rotation.x = -Math.PI / 2;
  floor.receiveShadow = true;
  return floor;
}

// a line stays about a pixel wide; where lines would be closer than pixels they melt into their mean
const LINES = `
float lineAt(vec2 place, float spacing, float wide) {
  vec2 square = place / spacing;
  vec2 pixel = fwidth(square);
  vec2 away = abs(fract(square - 0.5) - 0.5) / max(pixel, vec2(1e-5));
  float near = 1.0 - min(min(away.x, away.y) / wide, 1.0);
  return near * (1.0 - smoothstep(0.02, 0.3, max(pixel.x, pixel.y)));
}
`;
