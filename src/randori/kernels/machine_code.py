"""How kernels become machine code: with less work than numba's own way, and as fast when they run.

Numba optimises the functions of a kernel one by one, then the whole of it twice, at the highest level. One
pass at the lowest level over a kernel and all that it calls gives code of the same speed, in three quarters
of the time.
"""

import weakref

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NopythonTypeInference

_LEVEL = 1  # of LLVM's optimisation: 2 and 3 take longer, and searches of five plies are no faster
_ENVIRONMENT = "_ZN08NumbaEnv"  # numba's environments have names that begin like this: one for each kernel
_POINTER = ir.IntType(8).as_pointer()


class _Library(JITCodeLibrary):
    """The code of a kernel, with that of all kernels that it calls linked into it."""

    def _optimize_functions(self, module):
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        self._hide_called_kernels()
        passes, builder = self._codegen._module_pass_manager(opt=_LEVEL)
        passes.run(self._final_module, builder)

    def _hide_called_kernels(self):
        """Let nothing outside use the kernels that are linked into this one.

        LLVM then drops their unused arguments. A record of arrays is hundreds of arguments, most of them
        unused: searches are a quarter faster without them.
        """
        for function in self._final_module.functions:
            if function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.internal


class _LinkedLibrary(_Library):
    """The code of a kernel that only other kernels call: it never runs by itself.

    Callers link it and make machine code of it. The machine code beside it has only the environments of the
    kernels, because numba writes their addresses into memory.
    """

    def _hide_called_kernels(self):
        """Leave them visible: callers link them, too."""

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        module = self._codegen._create_empty_module(self.name)
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = ir.GlobalVariable(module, _POINTER, name=variable.name)
                environment.linkage = "common"
                environment.initializer = ir.Constant(_POINTER, None)
        compiled = llvm.parse_assembly(str(module))
        compiled._CPUCodeLibrary__library = weakref.proxy(
            self
        )  # numba gives it the machine code, for the cache
        self._codegen._add_module(compiled)
        self._finalize_specific()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class _UseLibrary(AnalysisPass):
    """Let numba write the code of a kernel into a library of this module."""

    _name = "use_library"

    def __init__(self):
        AnalysisPass.__init__(self)

    def run_pass(self, state):
        library = _LinkedLibrary if state.flags.no_cpython_wrapper else _Library
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


class _Flags(Flags):
    """Flags that are hashed once: numba asks whether two are equal at every operation of a kernel."""

    def values(self):
        if "_known" not in vars(self):
            vars(self)["_known"] = super().values()
        return self._known

    def __hash__(self):
        if "_hash" not in vars(self):
            vars(self)["_hash"] = super().__hash__()
        return self._hash

    def __eq__(self, other):
        return self is other or super().__eq__(other)


class KernelCompiler(CompilerBase):
    """Numba's compiler, with libraries and flags of this module."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.state.flags = _Flags(self.state.flags)

    def define_pipelines(self):
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(_UseLibrary, NopythonTypeInference)
        pipeline.finalize()
        return [pipeline]
