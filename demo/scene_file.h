// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "sunder/demo/scenes.h"

namespace sunder::demo {

// Reads a scene file (docs/formats.md). Throws std::runtime_error whose message names the file, the place and the
// value.
Scene readSceneFile(const std::string& path);

// The scene as the text of a scene file. readSceneFile gives every bit of it back.
std::string toSceneFile(const Scene& scene);

}  // namespace sunder::demo
