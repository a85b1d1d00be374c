// What a session's options say of its grammar and of thoughts.
#pragma once

#include "c_api/handles.h"

namespace rondo::c_api {

// Views the options' texts. Error: kInvalidArgument (which option, its range).
Result<ConstraintOptions> ReadConstraint(const rondo_session_options& options,
                                         const rondo_model* model);

}  // namespace rondo::c_api
